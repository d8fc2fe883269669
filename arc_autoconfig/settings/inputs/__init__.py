"""The inputs of the settings: files, variables and the command line, each as a layer."""
