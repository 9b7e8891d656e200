//! Which modules belong together: a file, what it imports, what that imports, and so on.
//!
//! `use a.b` means the file `a/b.clank` in the nearest folder that has one, from the importing file's own folder up; with
//! configured roots, in the first root that has one. Modules that import one another in a circle are not linked: every
//! `use` on the circle is a mistake (row 50).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use clank_syntax::ast::{Ast, Decl, DeclId, Name, Node, SourceId};
use clank_syntax::{Parsed, Span, SyntaxCode, SyntaxError};

use crate::graph::{components, shortest_path};
use crate::similar::similar;

/// Circles of more modules than this are not spelled out.
const MAX_SPELLED_CYCLE: usize = 50;

/// One file.
#[derive(Clone, Debug)]
pub struct Module {
    /// Its path; empty for a program that is not a file.
    pub file: Name,
    /// What is written in it.
    pub ast: Arc<Ast>,
    /// What could not be read.
    pub syntax: Vec<SyntaxError>,
}

/// Where a `use` leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ImportTarget {
    /// To the module in this file.
    Module(Name),
    /// Nowhere.
    Missing {
        /// Modules with a similar name, as they are written in a `use`.
        similar: Vec<Name>,
    },
    /// Back to the module itself, through these files; the first is the last.
    Cycle(Vec<Name>),
    /// To a file that cannot be read at all, or in a circle to the one that was asked for, which is reported there.
    Unreadable,
}

/// Modules with what they import.
#[derive(Clone, Debug)]
pub struct Program {
    /// Imported modules come before those that import them.
    modules: Vec<Module>,
    /// By module, where its uses lead.
    targets: Vec<BTreeMap<DeclId, ImportTarget>>,
    asked: Option<usize>,
}

/// Finds the modules that a program imports.
pub trait Library {
    /// The file and the text of the module that `use path` in the file `from` means.
    fn module(&self, from: &str, path: &[Name]) -> Option<(Name, Arc<str>)>;

    /// The modules that the file could import, as they are written in a `use`: for suggestions.
    fn names(&self, from: &str) -> Vec<Name> {
        let _ = from;
        Vec::new()
    }
}

/// A library without modules: there is only the prelude.
#[derive(Clone, Copy, Debug)]
pub struct NoModules;

impl Library for NoModules {
    fn module(&self, _: &str, _: &[Name]) -> Option<(Name, Arc<str>)> {
        None
    }
}

/// How modules are found among files whose trees are already there.
pub trait Finder {
    /// The file that `use path` in the file `from` means.
    fn find(&self, from: &str, path: &[Name]) -> Option<Name>;

    /// The modules that the file could import, as they are written in a `use`.
    fn names(&self, from: &str) -> Vec<Name>;
}

impl Program {
    /// The program of one file and all that it imports.
    pub fn load(
        file: Name,
        ast: Arc<Ast>,
        syntax: Vec<SyntaxError>,
        library: &dyn Library,
    ) -> Program {
        Program::load_from(Module { file, ast, syntax }, library, false)
    }

    /// The same program with the modules that may have been meant where one does not exist, so that it can be tried whether
    /// they were; `None` if there are none. Nothing imports them.
    pub fn with_near_modules(&self, library: &dyn Library) -> Option<Program> {
        let asked = self.modules.get(self.asked?)?;
        let targets = self.targets[self.asked?].values();
        let is_near = |it: &ImportTarget| matches!(it, ImportTarget::Missing { similar } if !similar.is_empty());
        if !targets.into_iter().any(is_near) {
            return None;
        }
        Some(Program::load_from(asked.clone(), library, true))
    }

    fn load_from(start: Module, library: &dyn Library, with_near: bool) -> Program {
        struct FoundFiles<'a> {
            library: &'a dyn Library,
            files: BTreeMap<(Name, Vec<Name>), Name>,
        }
        impl Finder for FoundFiles<'_> {
            fn find(&self, from: &str, path: &[Name]) -> Option<Name> {
                self.files.get(&(Name::new(from), path.to_vec())).cloned()
            }

            fn names(&self, from: &str) -> Vec<Name> {
                self.library.names(from)
            }
        }

        let mut found = FoundFiles { library, files: BTreeMap::new() };
        let mut modules = BTreeMap::new();
        let file = start.file.clone();
        let mut seen = BTreeSet::from([file.clone()]);
        let mut waiting = vec![start];
        while let Some(module) = waiting.pop() {
            let mut paths: Vec<Vec<Name>> =
                imported_paths(&module.ast).map(|it| it.1.to_vec()).collect();
            if with_near && module.file == file {
                let missing = paths.iter().filter(|it| library.module(&file, it).is_none());
                let near = missing.flat_map(|it| similar_modules(&file, it, &found));
                let near: Vec<_> = near.map(|it| it.split('.').map(Name::new).collect()).collect();
                paths.extend::<Vec<Vec<Name>>>(near);
            }
            for path in paths {
                let Some((target, text)) = library.module(&module.file, &path) else { continue };
                found.files.insert((module.file.clone(), path), target.clone());
                if seen.insert(target.clone()) {
                    let parsed = clank_syntax::parse(&target, &text);
                    waiting.push(Module {
                        file: target,
                        ast: Arc::new(parsed.ast),
                        syntax: parsed.errors,
                    });
                }
            }
            modules.insert(module.file.clone(), module);
        }
        let mut program = Program::link(modules.into_values().collect(), &found);
        program.asked = program.modules.iter().position(|it| it.file == file);
        program.report_cycles_where_asked(&file);
        program
    }

    /// A cycle through the file that was asked for is reported there and nowhere else: the nodes of the others are not
    /// those of the tree that is returned (row 49).
    fn report_cycles_where_asked(&mut self, file: &Name) {
        for (index, targets) in self.targets.iter_mut().enumerate() {
            if Some(index) == self.asked {
                continue;
            }
            for target in targets.values_mut() {
                if matches!(target, ImportTarget::Cycle(files) if files.contains(file)) {
                    *target = ImportTarget::Unreadable;
                }
            }
        }
    }

    /// A program of all these modules. Their files differ. A file that is found and is not among them is one that cannot
    /// be read.
    pub fn link(modules: Vec<Module>, finder: &dyn Finder) -> Program {
        let by_file: BTreeMap<Name, usize> =
            modules.iter().enumerate().map(|(index, it)| (it.file.clone(), index)).collect();
        let mut targets: Vec<BTreeMap<DeclId, ImportTarget>> = Vec::with_capacity(modules.len());
        let mut edges = Vec::with_capacity(modules.len());
        let mut near = Vec::with_capacity(modules.len());
        for module in &modules {
            let mut own_targets = BTreeMap::new();
            let (mut own_edges, mut own_near) = (Vec::new(), Vec::new());
            for (decl, path) in imported_paths(&module.ast) {
                let file = finder.find(&module.file, path);
                let target = match file.map(|it| by_file.get_key_value(&it)) {
                    Some(Some((file, &index))) => {
                        own_edges.push(index);
                        ImportTarget::Module(file.clone())
                    }
                    Some(None) => ImportTarget::Unreadable,
                    None => {
                        let similar = similar_modules(&module.file, path, finder);
                        let files = files(&module.file, &similar, finder);
                        own_near.extend(files.filter_map(|it| by_file.get(&it).copied()));
                        ImportTarget::Missing { similar }
                    }
                };
                own_targets.insert(decl, target);
            }
            targets.push(own_targets);
            edges.push(own_edges);
            near.push(own_near);
        }
        for component in components(&edges) {
            break_cycles(&component, &edges, &modules, &by_file, &mut targets);
        }
        let order = order(&edges, &near);
        let mut modules: Vec<_> = modules.into_iter().zip(targets).map(Some).collect();
        let ordered =
            order.iter().map(|it| modules[*it].take().expect("every module is in one component"));
        let (modules, targets) = ordered.unzip();
        Program { modules, targets, asked: None }
    }

    /// The same program with other trees for some of its modules, by place. A `use` leads where one of the same path led
    /// before, a new one to a module of the program that comes before. What could not be read is read now if what stood
    /// for it is gone.
    pub fn with_trees(&self, trees: Vec<(usize, Arc<Ast>)>) -> Program {
        let mut program = self.clone();
        for (index, ast) in trees {
            let module = &self.modules[index];
            let known: BTreeMap<&[Name], &ImportTarget> = imported_paths(&module.ast)
                .filter_map(|(decl, path)| Some((path, self.targets[index].get(&decl)?)))
                .collect();
            program.targets[index] = imported_paths(&ast)
                .map(|(decl, path)| match known.get(path) {
                    Some(target) => (decl, (*target).clone()),
                    None => (decl, self.target_before(index, path)),
                })
                .collect();
            let unread = unread_spans(&module.ast, &module.syntax);
            let still_unread = unread_spans(&ast, &module.syntax);
            let written = written_spans(&module.ast);
            let is_read = |it: &SyntaxError| {
                let opened = it.related.as_ref().filter(|_| it.code == SyntaxCode::E0004);
                let at = opened.map_or(it.span, |it| it.0);
                let around = unread.iter().filter(|span| span.holds(at)).copied();
                let home = home(&written, it).filter(|_| it.code == SyntaxCode::E0004);
                around.chain(home).any(|span| !still_unread.contains(&span))
            };
            program.modules[index].syntax.retain(|it| !is_read(it));
            program.modules[index].ast = ast;
        }
        program
    }

    /// The same program with another text for one of its modules.
    pub fn with_text(&self, module: usize, parsed: Parsed) -> Program {
        let mut program = self.with_trees(vec![(module, Arc::new(parsed.ast))]);
        program.modules[module].syntax = parsed.errors;
        program
    }

    /// Where a new `use` of a module leads.
    fn target_before(&self, module: usize, path: &[Name]) -> ImportTarget {
        let candidates = candidate_files(&self.modules[module].file, path, &[]);
        let is_there = |file: &String| self.modules[..module].iter().any(|it| it.file == **file);
        match candidates.into_iter().find(is_there) {
            Some(file) => ImportTarget::Module(Name::from(file)),
            None => ImportTarget::Missing { similar: Vec::new() },
        }
    }

    /// The modules; what a module imports comes before it.
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// The place among the modules of the file that the program was loaded for.
    pub fn asked(&self) -> Option<usize> {
        self.asked
    }

    /// Where the uses of a module lead, those of host modules excepted.
    pub fn targets(&self, module: usize) -> &BTreeMap<DeclId, ImportTarget> {
        &self.targets[module]
    }
}

/// Where the file could not be read: what was left out of the tree, and the declarations with a mistake in them, which may
/// have been read as something that was not written.
fn unread_spans(ast: &Ast, errors: &[SyntaxError]) -> BTreeSet<Span> {
    let is_written = |it: &&Node| it.source == SourceId(0);
    let nodes = ast.nodes().iter().filter(is_written).filter(|it| it.kind.is_error());
    let declarations = written_spans(ast);
    let around = errors.iter().filter_map(|error| home(&declarations, error));
    nodes.map(|it| it.span).chain(around).collect()
}

/// Where the declarations are that are written in the file.
fn written_spans(ast: &Ast) -> Vec<Span> {
    let declarations = ast.declarations().iter().map(|it| ast.node(it.node()));
    declarations.filter(|it| it.source == SourceId(0)).map(|it| it.span).collect()
}

/// The declaration that a mistake is in. What is wrong with a bracket may show only behind it.
fn home(declarations: &[Span], error: &SyntaxError) -> Option<Span> {
    let is_bracket = error.code == SyntaxCode::E0004;
    let opened = error.related.as_ref().filter(|_| is_bracket);
    let span = opened.map_or(error.span, |it| it.0);
    let place = declarations.partition_point(|it| it.end < span.end);
    let around = declarations.get(place).filter(|it| it.holds(span));
    let before = || declarations.get(place.checked_sub(1)?).filter(|_| is_bracket);
    around.or_else(before).copied()
}

/// The uses of modules of the program, and their paths.
fn imported_paths(ast: &Ast) -> impl Iterator<Item = (DeclId, &[Name])> {
    ast.declarations().iter().filter_map(|id| match ast.decl(*id) {
        Decl::Use(it) if !it.is_external => Some((*id, &*it.path)),
        _ => None,
    })
}

fn similar_modules(from: &str, path: &[Name], finder: &dyn Finder) -> Vec<Name> {
    let names = finder.names(from);
    similar(&path.join("."), names.iter().map(|it| (it.as_str(), true)))
}

/// The files of modules that are written like this in a `use` of the file `from`.
pub fn files(from: &str, names: &[Name], finder: &dyn Finder) -> impl Iterator<Item = Name> {
    let path = |it: &Name| it.split('.').map(Name::new).collect::<Vec<Name>>();
    names.iter().filter_map(move |it| finder.find(from, &path(it)))
}

/// The places of modules in the order in which they are linked: what a module imports comes before it, and so does what may
/// have been meant where one does not exist (`near`), unless that imports the module.
fn order(edges: &[Vec<usize>], near: &[Vec<usize>]) -> Vec<usize> {
    if near.iter().all(Vec::is_empty) {
        return components(edges).into_iter().flatten().collect();
    }
    let with = |near: &dyn Fn(usize) -> Vec<usize>| -> Vec<Vec<usize>> {
        let all = edges.iter().enumerate();
        all.map(|(place, it)| [it.as_slice(), &near(place)].concat()).collect()
    };
    let mut component_of = vec![0; edges.len()];
    for (number, component) in components(&with(&|it| near[it].clone())).iter().enumerate() {
        component.iter().for_each(|it| component_of[*it] = number);
    }
    let is_apart = |from: usize, to: &usize| component_of[from] != component_of[*to];
    let apart = |from: usize| near[from].iter().copied().filter(|it| is_apart(from, it)).collect();
    components(&with(&apart)).into_iter().flatten().collect()
}

/// Marks every use inside a component: whichever of them is taken away, the circle is broken.
fn break_cycles(
    component: &[usize],
    edges: &[Vec<usize>],
    modules: &[Module],
    by_file: &BTreeMap<Name, usize>,
    targets: &mut [BTreeMap<DeclId, ImportTarget>],
) {
    if let [only] = component
        && !edges[*only].contains(only)
    {
        return;
    }
    let members: BTreeSet<usize> = component.iter().copied().collect();
    for &module in component {
        for target in targets[module].values_mut() {
            let ImportTarget::Module(file) = target else { continue };
            let imported = by_file[file];
            if !members.contains(&imported) {
                continue;
            }
            let way_back = match component.len() <= MAX_SPELLED_CYCLE {
                true => shortest_path(edges, imported, module),
                false => None,
            };
            let mut cycle = vec![module];
            cycle.extend(way_back.unwrap_or_else(|| vec![imported, module]));
            *target =
                ImportTarget::Cycle(cycle.iter().map(|it| modules[*it].file.clone()).collect());
        }
    }
}

/// The files that `use path` in the file `from` may mean, the best first: in the roots, or, without roots, in the folder
/// of the file and in those around it. Paths are relative to the workspace, with `/`.
pub fn candidate_files(from: &str, path: &[Name], roots: &[String]) -> Vec<String> {
    let tail = format!("{}.clank", path.join("/"));
    let in_folder = |folder: &str| match folder {
        "" | "." => tail.clone(),
        folder => format!("{}/{tail}", folder.trim_end_matches('/')),
    };
    if !roots.is_empty() {
        return roots.iter().map(|it| in_folder(it)).collect();
    }
    folders_around(from).map(in_folder).collect()
}

/// The modules among files that a file could import, as they are written in a `use`; sorted.
pub fn module_names<'a>(
    from: &str,
    files: impl Iterator<Item = &'a str> + Clone,
    roots: &[String],
) -> Vec<Name> {
    let folders: Vec<&str> = match roots.is_empty() {
        true => folders_around(from).collect(),
        false => roots.iter().map(|it| it.trim_end_matches('/')).collect(),
    };
    let mut names = BTreeSet::new();
    for folder in folders {
        for file in files.clone() {
            let tail = match folder {
                "" | "." => Some(file),
                folder => file.strip_prefix(folder).and_then(|it| it.strip_prefix('/')),
            };
            if let Some(path) = tail.and_then(|it| it.strip_suffix(".clank"))
                && file != from
            {
                names.insert(Name::from(path.replace('/', ".")));
            }
        }
    }
    names.into_iter().collect()
}

/// The folder of a file and those around it, the nearest first; the last one is the root, the empty path.
fn folders_around(file: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(file);
    std::iter::from_fn(move || {
        let path = rest?;
        let folder = path.rsplit_once('/').map_or("", |it| it.0);
        rest = (!path.is_empty() && !folder.is_empty()).then_some(folder);
        Some(folder)
    })
}
