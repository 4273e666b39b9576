"""The options of every command in one table, and what is generated from it: parsing, help, man page, completion."""
