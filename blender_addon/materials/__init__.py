"""What bodies are made of: named materials with their sources, and pairs that no rule gives."""
