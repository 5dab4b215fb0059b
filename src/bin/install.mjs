// Installs the packages of package-lock.json before `npm start` and `npm test`, where node_modules lacks any of them.
// Plain JavaScript without dependencies: it runs before any are installed, on any Node from version 20.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
/** Options for npm. A service runs without the packages for development, so `npm start` does not ask for them. */
const options = process.argv.slice(2)
const needsDev = options.includes("--include=dev")

const packagesOf = (lock) => (existsSync(lock) ? JSON.parse(readFileSync(lock, "utf8")).packages : {})

/** The record that npm writes at the end of an installation. */
const installed = packagesOf(`${root}/node_modules/.package-lock.json`)

const isMissing = ([path, { dev, optional, version }]) => {
  if (path === "" || (dev && !needsDev)) return false
  return path in installed ? installed[path].version !== version : !optional
}

if (Object.entries(packagesOf(`${root}/package-lock.json`)).some(isMissing)) {
  process.stderr.write("Installing dependencies with npm, which may take a minute …\n")
  const command = ["npm ci --no-audit --no-fund --loglevel=error", ...options].join(" ")
  const npm = spawnSync(command, { cwd: root, shell: true, stdio: ["ignore", "ignore", "inherit"] })
  if (npm.status !== 0) process.stderr.write("npm ci failed\n")
  process.exitCode = npm.status ?? 1
}

/** The oldest Node of the service, as a major and a minor number. */
const { engines } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"))
const [oldest = "0.0", major, minor] = /(\d+)\.(\d+)/.exec(engines?.node ?? "") ?? []

const isOld = (version) => {
  const [ours, part] = version.split(".").map(Number)
  return ours < Number(major) || (ours === Number(major) && part < Number(minor))
}

// The script that npm runs next has the Node of node_modules, which may have come just now, or else this one.
const isRunByNpm = process.env.npm_lifecycle_event !== undefined
if (process.exitCode === undefined && isRunByNpm && isOld(process.versions.node)) {
  const { stdout } = spawnSync("node", ["-p", "process.versions.node"], { encoding: "utf8" })
  const next = stdout?.trim() || process.versions.node
  if (isOld(next)) {
    process.stderr.write(`pennypress: Node.js ${next} is too old; install Node.js ${oldest} or newer.\n`)
    process.exitCode = 1
  }
}
