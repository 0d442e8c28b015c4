"""What the doors that listen on loopback share: the port, the token, and bounds on what a client may send."""
