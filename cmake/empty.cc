// Lets a room without files of its own be a library.
