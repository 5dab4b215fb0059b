// Lives, and is never ready.
process.stdin.resume()
