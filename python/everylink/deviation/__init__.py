"""How far each link is from what is expected of it, reduced to what a picture has room for."""
