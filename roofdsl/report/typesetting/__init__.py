"""Documents in HTML, LaTeX and Markdown: every text escaped, every formula typeset."""
