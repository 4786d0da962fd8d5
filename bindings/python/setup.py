from setuptools import setup

setup(cffi_modules=["build_atmost.py:builder"])
