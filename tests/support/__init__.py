"""What several tests share: reference formulas, reusable checks, readers of stored notebooks."""
