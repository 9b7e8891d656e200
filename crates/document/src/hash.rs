//! Tables by hash. Their hasher is quicker than the standard one, and seeded like it: keys come from files of strangers.

use hashbrown::DefaultHashBuilder;

pub(crate) type HashMap<K, V> = std::collections::HashMap<K, V, DefaultHashBuilder>;
pub(crate) type HashSet<T> = std::collections::HashSet<T, DefaultHashBuilder>;
