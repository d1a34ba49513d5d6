//! A set of paths that is small to download: a sorted list. A tree of the standard library is several times this code for
//! each kind of thing it holds, and here are some hundreds of paths at most.

/// The paths, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathSet(Vec<String>);

impl PathSet {
    /// Whether it has the path.
    pub fn contains(&self, path: &str) -> bool {
        self.place(path).is_ok()
    }

    /// Puts a path in; says whether it is new.
    pub fn insert(&mut self, path: &str) -> bool {
        let place = self.place(path);
        if let Err(at) = place {
            self.0.insert(at, path.to_owned());
        }
        place.is_err()
    }

    /// Takes a path out; says whether it was there.
    pub fn remove(&mut self, path: &str) -> bool {
        let place = self.place(path);
        if let Ok(at) = place {
            self.0.remove(at);
        }
        place.is_ok()
    }

    /// Takes all out.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn place(&self, path: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|other| other.as_str().cmp(path))
    }
}

#[cfg(test)]
mod tests {
    use super::PathSet;

    #[test]
    fn each_path_is_there_once_until_it_is_taken_out() {
        let mut set = PathSet::default();
        let inserted = ["b", "a", "c", "b", ""].map(|path| set.insert(path));
        assert_eq!(inserted, [true, true, true, false, true]);
        let removed = ["b", "b", "d"].map(|path| set.remove(path));
        assert_eq!(removed, [true, false, false]);
        assert_eq!(["", "a", "b", "c", "d"].map(|path| set.contains(path)), [true, true, false, true, false]);
        set.clear();
        assert_eq!(set, PathSet::default());
    }
}
