#!/bin/sh
# Shows that somebody was made to run it.
echo pwned >> pwned
