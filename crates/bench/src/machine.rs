//! What the numbers were measured on, as far as `/proc` tells.

/// One line: processor, cores, memory, kernel, the file system of the temporary directory, and the load.
pub(crate) fn describe() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let (processor, memory, load) =
        (read("/proc/cpuinfo"), read("/proc/meminfo"), read("/proc/loadavg"));
    let model =
        processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let kilobytes =
        memory.lines().find_map(|line| line.strip_prefix("MemTotal:")?.split_whitespace().next());
    let gigabytes = kilobytes.and_then(|it| it.parse::<u64>().ok()).map_or(0, |it| it / 1_000_000);
    format!(
        "{} x {}, {gigabytes} GB, Linux {}, {} in the temporary directory, load {}",
        std::thread::available_parallelism().map_or(0, usize::from),
        model.map_or("unknown processor", |(_, model)| model),
        read("/proc/sys/kernel/osrelease").trim(),
        file_system(&read("/proc/mounts")),
        load.split_whitespace().next().unwrap_or("unknown"),
    )
}

/// The type of the mount that is nearest above the temporary directory.
fn file_system(mounts: &str) -> &str {
    let directory = std::env::temp_dir();
    let mut nearest = (0, "unknown file system");
    for line in mounts.lines() {
        let mut fields = line.split(' ').skip(1);
        if let (Some(at), Some(kind)) = (fields.next(), fields.next())
            && directory.starts_with(at)
            && at.len() >= nearest.0
        {
            nearest = (at.len(), kind);
        }
    }
    nearest.1
}
