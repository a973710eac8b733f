"""Who does the work: this process, processes of this machine, a cluster; and what becomes of faults."""
