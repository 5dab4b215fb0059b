// Makes sure that node_modules is what package-lock.json says, before a program of ours starts. Plain JavaScript
// without dependencies, since it runs where there are none yet, on whatever Node (20 or newer) the shell has.
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const modules = join(root, "node_modules")
const lockFile = join(root, "package-lock.json")
/** The lock file that node_modules was installed from. */
const stamp = join(modules, ".pennypress-lock")
/** Held by the one process that installs, with its id in it. */
const turn = join(modules, ".pennypress-installing")
/** A process has written its id into the file it made after this time, or never will. */
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

/** Whether someone has installed the same with npm itself: it notes in node_modules what is there. */
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
  // The Node that npm puts first on the path comes from an install script, which some leave out.
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

/** Whether the one who holds the turn was killed in it. */
const isAbandoned = () => {
  try {
    const pid = Number(readFileSync(turn, "utf8"))
    return pid > 0 ? !isAlive(pid) : Date.now() - statSync(turn).mtimeMs > writtenMillis
  } catch {
    return false
  }
}

/** Takes the turn to install; false when another process did the work meanwhile. */
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
  // npm may write down the same tree in other words; the repository's words count.
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
