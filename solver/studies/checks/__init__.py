"""What a study is refused for before any of its runs begins: its file, its rules, its points."""
