"""What Python calls: the verbs and the Run of `import stiction as st`, whose list is in the package's own file."""
