"""Days, periods and time stamps in texts and in questions."""
