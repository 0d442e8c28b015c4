"""What people write to each other and to an agent: replies, requests, what they ask about and what they paste."""
