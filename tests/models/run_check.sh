#!/bin/sh
# Runs a check that is a program, with its arguments.
exec "$@"
