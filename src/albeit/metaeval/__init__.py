"""Which metric agrees best with people: tasks, tables, significance clusters."""
