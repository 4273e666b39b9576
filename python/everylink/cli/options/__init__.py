"""One table of the options of every command, and what is made of it: parsing, help, man page and completion."""
