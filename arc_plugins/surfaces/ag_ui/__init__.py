"""The AG-UI protocol: `/ag-ui` is the agent `default`, `/ag-ui/{agent}` another one."""
