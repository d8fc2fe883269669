"""What vendors' models cost if the settings have no price."""
