"""`judge`: a small encoder that scores a translation against its reference."""
