// Makes node_modules match package-lock.json before a program of ours starts. Plain JavaScript without dependencies: it
// runs before any are installed, on any Node from version 20.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const modules = join(root, "node_modules")
const lockFile = join(root, "package-lock.json")
/** Copy of the lock file that node_modules was installed from. */
const stamp = join(modules, ".pennypress-lock")
/** File that the one installing process holds, with its process id inside. */
const turn = join(modules, ".pennypress-installing")
/** Time within which a process writes its id into the file that it made. */
const writtenMillis = 5_000
const pollMillis = 200

const read = (file) => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    if (error.code === "ENOENT") return undefined
    throw error
  }
}

const isStamped = () => {
  const installed = read(stamp)
  return installed !== undefined && installed === read(lockFile)
}

/** Returns true when npm itself has installed the same tree, as its record in node_modules shows. */
const isInstalled = () => {
  const [wanted, there] = [read(lockFile), read(join(modules, ".package-lock.json"))]
  if (wanted === undefined || there === undefined) return false
  const installed = JSON.parse(there).packages
  const missing = Object.entries(JSON.parse(wanted).packages).some(
    ([path, { optional, version }]) =>
      path !== "" &&
      installed[path]?.version !== version &&
      !(optional === true && installed[path] === undefined)
  )
  // The Node that npm puts first on the path comes from an install script, which some installations skip.
  return (
    !missing &&
    (installed["node_modules/node"] === undefined || existsSync(join(modules, "node", "bin", "node")))
  )
}

const isCurrent = () => {
  if (isStamped()) return true
  if (!isInstalled()) return false
  writeFileSync(stamp, readFileSync(lockFile))
  return true
}

const wait = (millis) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

/** Returns true when the process that held the turn was killed. */
const isAbandoned = () => {
  try {
    const pid = Number(readFileSync(turn, "utf8"))
    return pid > 0 ? !isAlive(pid) : Date.now() - statSync(turn).mtimeMs > writtenMillis
  } catch {
    return false
  }
}

/** Takes the turn to install; returns false when another process has done the work meanwhile. */
const takeTurn = () => {
  mkdirSync(modules, { recursive: true })
  while (!isStamped()) {
    try {
      writeFileSync(turn, String(process.pid), { flag: "wx" })
      return true
    } catch (error) {
      if (error.code !== "EEXIST") throw error
    }
    if (isAbandoned()) rmSync(turn, { force: true })
    else wait(pollMillis)
  }
  return false
}

const install = () => {
  const before = read(lockFile)
  process.stderr.write("Installing dependencies with npm, which may take a minute …\n")
  const npm = spawnSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32"
  })
  if (npm.status !== 0) {
    process.stderr.write(`npm install failed: ${npm.error?.message ?? ""}${npm.stderr}\n`)
    return 1
  }
  // npm may write the same tree in other words; the words of the repository count.
  if (before !== undefined && read(lockFile) !== before) writeFileSync(lockFile, before)
  writeFileSync(stamp, before ?? read(lockFile) ?? "")
  return 0
}

if (!isCurrent() && takeTurn()) {
  try {
    process.exitCode = install()
  } finally {
    rmSync(turn, { force: true })
  }
}
