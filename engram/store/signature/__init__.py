"""What is kept outside of a workspace, so that whoever can write into it cannot vouch for what he wrote."""
