#!/usr/bin/env bash
# Runs a Python test with Debian's interpreter, which has torch.
exec /usr/bin/python3 "$@"
