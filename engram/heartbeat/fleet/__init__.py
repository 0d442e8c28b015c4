"""The heartbeats of a fleet: workers that take due workspaces by leases, each tick in a process of its own."""
