//! The embedded engine: QuickJS on a thread of its own, with modules from memory and streams from the caller.
//!
//! The thread has a stack larger than the engine may use, so that calls without end meet the engine's limit and never
//! the thread's. The caller's streams stay on the caller's thread, which serves the engine until it is done.

mod host;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{Coerced, Context, Ctx, Error, Function, Object, Promise, Runtime, Value};

use crate::io::Io;
use crate::outcome::{Limit, Limits, ProgramExit, RunError};
use crate::program::Program;
use host::{Host, StopReason, StreamServer};

/// What the engine's thread needs besides [`Limits::stack`], for the engine's own calls and ours around them.
const STACK_RESERVE: usize = 64 << 20;

/// What a program panics with when nothing is left to do but it is not done.
const NEVER: &str = "main waits for something that never happens";

/// With less the engine cannot start.
const MIN_STACK: usize = 1 << 20;

/// With less the engine cannot start, or say how it ended.
const MIN_MEMORY: usize = 16 << 20;

/// Runs a program on the embedded engine. Returns after everything it wrote was handed on.
pub fn run(program: &Program, limits: &Limits, io: Io<'_>) -> Result<ProgramExit, RunError> {
    Engine::prepare(limits)?.run(program, io)
}

/// An embedded engine that is made on its own thread, and waits there for its one program. If there comes none, it ends.
#[derive(Debug)]
pub struct Engine {
    programs: SyncSender<Program>,
    server: StreamServer,
    memory: usize,
    thread: JoinHandle<Result<ProgramExit, RunError>>,
}

impl Engine {
    /// Starts to make an engine with these limits, and returns at once. The time starts with the program.
    pub fn prepare(limits: &Limits) -> Result<Engine, RunError> {
        // The engine takes 0 for no limit, here and for the memory.
        let stack = limits.stack.clamp(MIN_STACK, Limits::MAX_STACK);
        let (host, server) = host::open();
        let (programs, program) = sync_channel(1);
        let limits = Limits { stack, ..*limits };
        let thread = std::thread::Builder::new()
            .name("clank".to_owned())
            .stack_size(stack + STACK_RESERVE)
            .spawn(move || execute(&program, &limits, host))
            .map_err(|error| RunError::Engine { message: error.to_string() })?;
        Ok(Engine { programs, server, memory: limits.memory, thread })
    }

    /// Runs a program. Returns after everything it wrote was handed on.
    pub fn run(self, program: &Program, io: Io<'_>) -> Result<ProgramExit, RunError> {
        // An engine that could not be made waits for no program; how it ended says why.
        let _ = self.programs.send(program.clone());
        let served = self.server.serve(io, self.memory);
        let ended = self.thread.join();
        served?;
        ended.unwrap_or_else(|_| Err(RunError::Engine { message: "it panicked".to_owned() }))
    }
}

fn execute(
    programs: &Receiver<Program>,
    limits: &Limits,
    host: host::Channel,
) -> Result<ProgramExit, RunError> {
    let engine_error = |error: Error| RunError::Engine { message: error.to_string() };
    let runtime = Runtime::new().map_err(engine_error)?;
    let memory = limits.memory.max(MIN_MEMORY);
    runtime.set_memory_limit(memory);
    runtime.set_max_stack_size(limits.stack);
    let host = Rc::new(RefCell::new(Host::new(host)));
    let interrupt = Rc::clone(&host);
    runtime.set_interrupt_handler(Some(Box::new(move || {
        interrupt.try_borrow_mut().is_ok_and(|mut it| it.must_stop())
    })));
    let context = Context::full(&runtime).map_err(engine_error)?;
    let installed = context.with(|ctx| install(&ctx, &host));
    // Whoever has no program for it has gone, and asks for no outcome.
    let Ok(program) = programs.recv() else { return Ok(ProgramExit::Done) };
    host.borrow_mut().start(limits.time);
    let modules = Modules { program: program.clone(), trouble: Rc::default() };
    let trouble = Rc::clone(&modules.trouble);
    runtime.set_loader(modules.clone(), modules);
    let ended = context.with(|ctx| installed.and_then(|()| start(&ctx, &program)));
    // Without memory the engine may lose even what was to be done next.
    let used = usize::try_from(runtime.memory_usage().malloc_size).unwrap_or_default();
    let is_full = used >= memory / 4 * 3;
    // What is said about the end takes memory too.
    runtime.set_memory_limit(memory.saturating_add(MIN_MEMORY));
    let ended = context.with(|ctx| conclude(&ctx, &program, ended));
    host.borrow_mut().flush();
    let stop = host.borrow().stop();
    match (ended?, trouble.take()) {
        (outcome, _) if stop == Some(StopReason::Time) => {
            Ok(ProgramExit::Stopped { limit: Limit::Time, frames: outcome.into_frames() })
        }
        (ProgramExit::Panic { message, frames }, _) if is_full && message == NEVER => {
            Ok(ProgramExit::Stopped { limit: Limit::Memory, frames })
        }
        (ProgramExit::Done, _) => Ok(ProgramExit::Done),
        (_, Trouble::NoModule { base, name }) => Err(RunError::NoModule { base, name }),
        (outcome, trouble) => outcome.or_invalid(matches!(trouble, Trouble::Invalid)),
    }
}

/// The host's functions and a console.
fn install(ctx: &Ctx<'_>, host: &Rc<RefCell<Host>>) -> rquickjs::Result<()> {
    let writer = Rc::clone(host);
    let write = Function::new(ctx.clone(), move |stream: i32, text: String| {
        writer.borrow_mut().write(stream, text);
    })?;
    let reader = Rc::clone(host);
    let read_line = Function::new(ctx.clone(), move || reader.borrow_mut().read_line())?;
    let prelude: Function<'_> = ctx.eval(include_str!("embedded/prelude.js"))?;
    prelude.call((write, read_line))
}

/// Evaluates the entry and calls its `main`; both may be asynchronous.
fn start<'js>(ctx: &Ctx<'js>, program: &Program) -> rquickjs::Result<()> {
    let entry: Promise<'js> = rquickjs::Module::import(ctx, program.entry())?;
    let exports: Object<'js> = entry.finish()?;
    let main: Value<'js> = exports.get("main")?;
    if let Some(main) = main.as_function() {
        let result: Value<'js> = main.call(())?;
        if let Some(promise) = result.as_promise() {
            promise.finish::<Value<'js>>()?;
        }
    }
    while ctx.execute_pending_job() {}
    Ok(())
}

fn conclude(
    ctx: &Ctx<'_>,
    program: &Program,
    ended: rquickjs::Result<()>,
) -> Result<ProgramExit, RunError> {
    match ended {
        Ok(()) => Ok(ProgramExit::Done),
        Err(Error::Exception) => Ok(exception(ctx, program)),
        Err(Error::WouldBlock) => {
            Ok(ProgramExit::Panic { message: NEVER.to_owned(), frames: Vec::new() })
        }
        Err(Error::Allocation) => {
            Ok(ProgramExit::Stopped { limit: Limit::Memory, frames: Vec::new() })
        }
        Err(error) => Err(RunError::Engine { message: error.to_string() }),
    }
}

/// What was thrown, as an outcome. The engine throws null when there is no memory for an error.
fn exception(ctx: &Ctx<'_>, program: &Program) -> ProgramExit {
    let thrown = ctx.catch();
    if thrown.is_null() {
        return ProgramExit::Stopped { limit: Limit::Memory, frames: Vec::new() };
    }
    if let Some(error) = thrown.as_object().filter(|it| it.is_error()) {
        let text = |name: &str| error.get::<_, Coerced<String>>(name).map(|it| it.0);
        let name = text("name").unwrap_or_default();
        let message = text("message").unwrap_or_default();
        let stack = text("stack").unwrap_or_default();
        return ProgramExit::of_exception(program, &name, message, &stack);
    }
    let text = thrown.get::<Coerced<String>>().map_or("a value without text".to_owned(), |it| it.0);
    ProgramExit::Panic { message: format!("uncaught {text}"), frames: Vec::new() }
}

/// Modules from memory.
#[derive(Clone)]
struct Modules {
    program: Program,
    trouble: Rc<RefCell<Trouble>>,
}

/// The last module that could not be had.
#[derive(Default)]
enum Trouble {
    #[default]
    None,
    NoModule {
        base: String,
        name: String,
    },
    Invalid,
}

impl Resolver for Modules {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        base: &str,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        self.program.resolve(base, name).ok_or_else(|| {
            let (base, name) = (base.to_owned(), name.to_owned());
            let error = Error::new_resolving(&*base, &*name);
            self.trouble.replace(Trouble::NoModule { base, name });
            error
        })
    }
}

impl Loader for Modules {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        path: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<rquickjs::Module<'js, Declared>> {
        let text = self.program.modules().get(path).ok_or_else(|| Error::new_loading(path))?;
        let module = rquickjs::Module::declare(ctx.clone(), path, text.as_str());
        if module.is_err() && matches!(*self.trouble.borrow(), Trouble::None) {
            self.trouble.replace(Trouble::Invalid);
        }
        module
    }
}
