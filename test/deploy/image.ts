/**
 * Builds the stages of the Dockerfile without a container engine, each over the file system of this machine, and runs
 * the last one as its own user: until its health check passes, and then until it stopped. Needs root, for the mounts.
 *
 * `node test/deploy/image.ts [dist]` takes a compiled service instead of compiling it.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync
} from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { basename, dirname, join, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { contextOf, execForm, type Instruction, ourStages, pairsOf, type Stage } from "./dockerfile.ts"

const READY_WITHIN_MILLIS = 90_000
const STOPPED_WITHIN_MILLIS = 60_000

/** Variables of this machine by which npm reaches its registry; an engine has settings of its own for them. */
const OF_THE_MACHINE = /^(https?_proxy|no_proxy|npm_config_\w+|NODE_EXTRA_CA_CERTS)$/i

const fail = (message: string): never => {
  throw new Error(message)
}

/** Runs a command and returns its output. Its complaint is ours. */
const run = (command: string, args: ReadonlyArray<string>): string => {
  const { error, status, stderr, stdout } = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 26 })
  return status === 0 ? stdout : fail(`${command} ${args.join(" ")}: ${error?.message ?? stderr + stdout}`)
}

/** A stage while it is built: its root directory, and what its instructions have set. */
interface Built {
  readonly root: string
  readonly env: Record<string, string>
  workdir: string
  readonly last: Map<string, Instruction>
}

const assignments = (env: Readonly<Record<string, string | undefined>>) =>
  Object.entries(env).map(([name, value]) => `${name}=${value ?? ""}`)

/** Makes the root directory of a stage: this machine's files, with Node and npm where the base image has them. */
const startStage = (home: string, node: string, npm: string): Built => {
  const root = join(home, "root")
  for (const folder of ["upper", "work", "root"]) mkdirSync(join(home, folder), { recursive: true })
  const options = `lowerdir=/,upperdir=${join(home, "upper")},workdir=${join(home, "work")}`
  run("mount", ["-t", "overlay", "overlay", "-o", options, root])
  for (const name of ["node", "npm", "npx", "corepack"]) {
    for (const folder of ["usr/bin", "usr/local/bin"]) rmSync(join(root, folder, name), { force: true })
  }
  for (const folder of ["app", "var/lib/pennypress", "usr/local/lib/node_modules"]) {
    rmSync(join(root, folder), { recursive: true, force: true })
  }
  mkdirSync(join(root, "usr/local/lib/node_modules"), { recursive: true })
  run("cp", ["-r", npm, join(root, "usr/local/lib/node_modules/npm")])
  run("ln", ["-s", "../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/local/bin/npm")])
  run("touch", [join(root, "usr/local/bin/node")])
  run("mount", ["--bind", node, join(root, "usr/local/bin/node")])
  run("mount", ["--rbind", "/dev", join(root, "dev")])
  run("mount", ["-t", "proc", "proc", join(root, "proc")])
  run("mount", ["-t", "tmpfs", "tmpfs", join(root, "tmp")])
  return {
    root,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin" },
    workdir: "/",
    last: new Map()
  }
}

const runCommand = ({ env, root, workdir }: Built, command: string) => {
  const machine = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => OF_THE_MACHINE.test(name))
  )
  const all = assignments({ HOME: "/root", ...machine, ...env })
  return run("chroot", [root, "env", "-i", ...all, "sh", "-c", `umask 022 && cd ${workdir} && ${command}`])
}

const copy = (built: Built, { flags, text }: Instruction, roots: ReadonlyMap<string, Built>) => {
  const words = text.split(/\s+/)
  const target = words.pop() ?? ""
  const place = join(built.root, resolve(built.workdir, target))
  const allowed = contextOf(readFileSync(".dockerignore", "utf8"))
  const from = flags["from"] === undefined ? undefined : roots.get(flags["from"])
  for (const word of words) {
    if (from === undefined && !allowed.has(word.split("/")[0] ?? "")) fail(`.dockerignore keeps ${word} out`)
    const source = from === undefined ? word : join(from.root, word)
    const isFolder = statSync(source).isDirectory()
    const isInto = target.endsWith("/") && !isFolder
    mkdirSync(isInto || isFolder ? place : dirname(place), { recursive: true })
    const copied = isInto ? join(place, basename(word)) : place
    run("cp", ["-r", "--no-dereference", "--preserve=mode", isFolder ? `${source}/.` : source, copied])
  }
}

/** Builds a stage. With a compiled service, the stage that compiles it installs and runs no compiler. */
const build = (stage: Stage, built: Built, roots: ReadonlyMap<string, Built>, dist: string | undefined) => {
  const compiles = stage.instructions.some(({ text }) => text === "npm run build")
  for (const instruction of stage.instructions) {
    const { name, text } = instruction
    built.last.set(name, instruction)
    if (name === "ENV") Object.assign(built.env, pairsOf(text))
    else if (name === "COPY") copy(built, instruction, roots)
    else if (name === "WORKDIR") {
      built.workdir = text
      mkdirSync(join(built.root, text), { recursive: true })
    } else if (name === "RUN" && compiles && dist !== undefined && text.startsWith("npm ")) {
      if (text === "npm run build") run("cp", ["-r", dist, join(built.root, built.workdir, "dist")])
    } else if (name === "RUN") runCommand(built, text)
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  return typeof address === "object" && address !== null ? address.port : fail("there is no free port")
}

/** Words that run a command in a stage as its user, without a capability, and with the image's variables alone. */
const asUser = ({ env, last, root, workdir }: Built, port: number, command: ReadonlyArray<string>) => {
  const [uid = "", gid = ""] = last.get("USER")?.text.split(":") ?? []
  const drop = [`--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs", "--bounding-set=-all"]
  const variables = assignments({ ...env, PORT: String(port), PUBLIC_BASE_URL: "https://press.example" })
  return ["chroot", root, "setpriv", ...drop, "env", "-i", `--chdir=${workdir}`, ...variables, ...command]
}

/** Seals a stage as `read_only` of Compose does: only its volume and `/tmp` can be written. */
const seal = ({ last, root }: Built, home: string) => {
  const volume = join(root, last.get("VOLUME")?.text ?? fail("the image has no volume"))
  const { gid, mode, uid } = statSync(volume)
  const data = join(home, "data")
  mkdirSync(data, { mode })
  chownSync(data, uid, gid)
  run("mount", ["-o", "remount,ro", root])
  run("mount", ["--bind", data, volume])
}

/** Runs the image until it is ready, and stops it with its signal. Returns a sentence about it. */
const runImage = async (built: Built) => {
  const port = await freePort()
  const words = (name: string, prefix = "") =>
    execForm(built.last.get(name)?.text.slice(prefix.length).trim() ?? "") ??
    fail(`${name} is not in exec form`)
  const [chroot = "", ...args] = asUser(built, port, words("CMD"))
  const [check = "", ...checkArgs] = asUser(built, port, words("HEALTHCHECK", "CMD"))
  const [find = "", ...findArgs] = asUser(built, port, [
    "sh",
    "-c",
    "find /app -writable ! -type l; command -v npm npx"
  ])
  const unwanted = spawnSync(find, findArgs, { encoding: "utf8" }).stdout
  if (unwanted !== "") fail(`the service could write or run: ${unwanted}`)

  // In a namespace of its own, the service is the first process, as in a container.
  const own = ["--pid", "--fork", "--kill-child", `--mount-proc=${join(built.root, "proc")}`]
  const started = performance.now()
  const service = spawn("unshare", [...own, chroot, ...args], { stdio: ["ignore", "pipe", "pipe"] })
  const ended = once(service, "exit")
  let log = ""
  for (const stream of [service.stdout, service.stderr])
    stream.on("data", (chunk: Buffer) => (log += chunk.toString()))
  while (spawnSync(check, checkArgs).status !== 0) {
    const isLate = performance.now() - started > READY_WITHIN_MILLIS
    if (service.exitCode !== null || isLate) fail(`the image does not become ready: ${log}`)
    await sleep(250)
  }
  const readyMillis = Math.round(performance.now() - started)
  for (const path of ["/health/ready", "/", "/openapi.json"]) {
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`)
    if (status !== 200) fail(`GET ${path} is answered with ${status}: ${log}`)
  }

  const pid = Number(readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, "utf8"))
  const [uid = ""] = /(?<=^Uid:\s+)\d+/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  if (uid === "0" || uid !== built.last.get("USER")?.text.split(":")[0]) fail(`the service runs as ${uid}`)
  process.kill(pid, built.last.get("STOPSIGNAL")?.text ?? "SIGTERM")
  await Promise.race([ended, sleep(STOPPED_WITHIN_MILLIS, undefined, { ref: false })])
  if (service.exitCode !== 0) fail(`the image ends with ${service.exitCode ?? service.signalCode}: ${log}`)
  return `The image was ready after ${readyMillis} ms as user ${uid}, over a read-only root, and stopped when told to.`
}

/** Builds every stage in a folder, and runs the last one. Its mounts end with this process. */
const inside = async (home: string, dist: string | undefined) => {
  const node = realpathSync("node_modules/node/bin/node")
  const npm = dirname(dirname(realpathSync(run("sh", ["-c", "command -v npm"]).trim())))
  const version = run(node, ["--version"]).trim().slice(1)
  const roots = new Map<string, Built>()
  let built: Built | undefined
  for (const [number, stage] of ourStages().entries()) {
    if (!stage.base.startsWith(`node:${version}-`))
      fail(`the base is ${stage.base}, and the Node here ${version}`)
    built = startStage(join(home, String(number)), node, npm)
    if (stage.name !== undefined) roots.set(stage.name, built)
    build(stage, built, roots, dist)
  }
  if (built === undefined) return fail("the Dockerfile has no stage")
  seal(built, home)
  process.stdout.write(`${await runImage(built)}\n`)
}

const [given, home] = process.argv.slice(2)
if (home === undefined) {
  if (process.getuid?.() !== 0) fail("this needs root, for its mounts")
  if (given !== undefined && !existsSync(given)) fail(`there is no ${given}`)
  const scratch = mkdtempSync(join(tmpdir(), "pennypress-image-"))
  const own = ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
  const { status } = spawnSync(
    "unshare",
    [...own, process.execPath, import.meta.filename, given ?? "", scratch],
    {
      stdio: "inherit"
    }
  )
  rmSync(scratch, { recursive: true, force: true })
  process.exitCode = status ?? 1
} else {
  await inside(home, given === "" ? undefined : given)
}
