// Installs the packages of package-lock.json before `npm start` and `npm test`, where node_modules lacks any of them.
// Plain JavaScript without dependencies: it runs before any are installed, on any Node from version 20.
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
/** Options for npm. A service runs without the packages for development, so `npm start` does not ask for them. */
const options = process.argv.slice(2)
const needsDev = options.includes("--include=dev")

const packagesOf = (lock) => (existsSync(lock) ? JSON.parse(readFileSync(lock, "utf8")).packages : {})

/** The record that npm writes at the end of an installation. */
const installed = packagesOf(`${root}/node_modules/.package-lock.json`)

const isNeeded = ([path, { dev }]) => path !== "" && (!dev || needsDev)

const isMissing = ([path, { optional, version }]) =>
  path in installed ? installed[path].version !== version : !optional

const needed = Object.entries(packagesOf(`${root}/package-lock.json`)).filter(isNeeded)

/** Seconds between two lines about an installation that goes on. */
const PROGRESS_SECONDS = 10

const count = (number) => (number === 1 ? "1 package" : `${number} packages`)

/** Returns the number of needed packages that npm unpacked. It leaves optional ones for other systems out. */
const unpacked = (required) => required.filter(([path]) => existsSync(`${root}/${path}/package.json`)).length

if (needed.some(isMissing)) {
  const required = needed.filter(([, { optional }]) => !optional)
  process.stderr.write(
    `Installing ${count(required.length)} with npm, for the first time or after an update.\n`
  )
  process.stderr.write("This takes between half a minute and a few minutes …\n")
  const begun = Date.now()
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - begun) / 1000)
    process.stderr.write(`  ${seconds} s: ${unpacked(required)} of ${count(required.length)} unpacked\n`)
  }, PROGRESS_SECONDS * 1000)
  const command = ["npm ci --no-audit --no-fund --loglevel=error", ...options].join(" ")
  const npm = spawn(command, { cwd: root, shell: true, stdio: ["ignore", "ignore", "inherit"] })
  const [status] = await once(npm, "close")
  clearInterval(progress)
  if (status !== 0) process.stderr.write("npm ci failed\n")
  process.exitCode = status ?? 1
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
if (!process.exitCode && isRunByNpm && isOld(process.versions.node)) {
  const { stdout } = spawnSync("node", ["-p", "process.versions.node"], { encoding: "utf8" })
  const next = stdout?.trim() || process.versions.node
  if (isOld(next)) {
    process.stderr.write(`pennypress: Node.js ${next} is too old; install Node.js ${oldest} or newer.\n`)
    process.exitCode = 1
  }
}
