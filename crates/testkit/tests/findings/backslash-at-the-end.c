int x = "\
