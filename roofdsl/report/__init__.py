"""Answers as documents: for a terminal, as JSON, …"""
