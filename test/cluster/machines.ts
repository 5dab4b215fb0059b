import { execFileSync, spawn } from "node:child_process"
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { eventually } from "../support/eventually.ts"

/** The folder of the cluster: a folder and a log of each machine. */
export const HOME = process.env["CLUSTER_HOME"] ?? "/tmp/pennypress-cluster"

const PATH = process.env["PATH"]

/**
 * The machines, each a network namespace of this host with an address and a program. All are plugged to one bridge, as
 * to a switch. The namespace is the machine: it knows its processes, so that any test can stop and start them.
 */
const ADDRESSES = {
  haproxy: "10.77.0.10",
  pgbouncer: "10.77.0.11",
  "postgres-1": "10.77.0.21",
  "postgres-2": "10.77.0.22",
  "etcd-1": "10.77.0.31",
  redis: "10.77.0.32",
  s3: "10.77.0.33",
  clamd: "10.77.0.34",
  "pennypress-1": "10.77.0.41",
  "pennypress-2": "10.77.0.42",
  fresh: "10.77.0.50"
} as const

export type Machine = keyof typeof ADDRESSES
const MACHINES = Object.keys(ADDRESSES) as ReadonlyArray<Machine>

const SWITCH = "pennypress0"
const CABLE = "pennypress-"
/** The address of this host, where the load and the tests run. */
const HOST_ADDRESS = "10.77.0.1"

export const addressOf = (machine: Machine) => ADDRESSES[machine]
const namespaceOf = (machine: Machine) => `pennypress-test-${machine}`
export const folderOf = (machine: Machine) => join(HOME, machine)
const pidFileOf = (machine: Machine) => join(HOME, `${machine}.pid`)
const logOf = (machine: Machine) => join(HOME, `${machine}.log`)

const sh = (command: string, ...args: ReadonlyArray<string>) =>
  execFileSync(command, args, { stdio: ["ignore", "pipe", "pipe"] }).toString()
const ip = (...args: ReadonlyArray<string>) => sh("ip", ...args)

/** Replaces the names of machines before a port, or as a host, by their addresses. */
export const withAddresses = (text: string) =>
  MACHINES.reduce(
    (replaced, name) =>
      replaced.replaceAll(new RegExp(`(?<=[ =,])${name}(?=:\\d| port=)`, "g"), addressOf(name)),
    text
  )

/** Returns the processes of a machine; of one program, when it is named. */
const processesOf = (machine: Machine, program?: string): ReadonlyArray<number> =>
  ip("netns", "pids", namespaceOf(machine))
    .split("\n")
    .filter((line) => line !== "")
    .map(Number)
    .filter((pid) => program === undefined || nameOf(pid) === program)

const nameOf = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim()
  } catch {
    return undefined
  }
}

const signal = (pids: ReadonlyArray<number>, name: NodeJS.Signals) => {
  for (const pid of pids) {
    try {
      process.kill(pid, name)
    } catch {
      // It ended meanwhile.
    }
  }
}

/** Plugs a machine to the switch. */
const plugIn = (machine: Machine) => {
  const namespace = namespaceOf(machine)
  const [, , , place] = addressOf(machine).split(".")
  ip("netns", "add", namespace)
  ip("link", "add", `${CABLE}${place}`, "type", "veth", "peer", "name", "eth0", "netns", namespace)
  ip("link", "set", `${CABLE}${place}`, "master", SWITCH, "up")
  ip("-n", namespace, "address", "add", `${addressOf(machine)}/24`, "dev", "eth0")
  ip("-n", namespace, "link", "set", "eth0", "up")
  ip("-n", namespace, "link", "set", "lo", "up")
  mkdirSync(folderOf(machine), { recursive: true, mode: 0o755 })
}

/** Ends every process of the cluster and removes its network and its files. Safe to repeat. */
export const removeMachines = () => {
  const there = ip("netns", "list")
  for (const machine of MACHINES.filter((it) => there.includes(namespaceOf(it)))) {
    signal(processesOf(machine), "SIGKILL")
    ip("netns", "delete", namespaceOf(machine))
  }
  // A namespace goes with the last of its processes, and its cable with it: later than the next run begins.
  for (const link of readdirSync("/sys/class/net").filter((it) => it === SWITCH || it.startsWith(CABLE))) {
    try {
      ip("link", "delete", link)
    } catch {
      // It went meanwhile.
    }
  }
  rmSync(HOME, { recursive: true, force: true })
}

/** Makes the network, with machines on which nothing runs. */
export const makeMachines = () => {
  removeMachines()
  ip("link", "add", SWITCH, "type", "bridge")
  ip("address", "add", `${HOST_ADDRESS}/24`, "dev", SWITCH)
  ip("link", "set", SWITCH, "up")
  mkdirSync(HOME, { mode: 0o755 })
  MACHINES.forEach(plugIn)
}

export interface Command {
  readonly command: ReadonlyArray<string>
  /** The variables of the program. It has no others but `PATH`. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** Starts a program on a machine, which goes on after this process. Its output goes to the log of the machine. */
export const start = (machine: Machine, { command, cwd, env }: Command) =>
  Effect.sync(() => {
    const log = openSync(logOf(machine), "a")
    // `ip` becomes the program, and keeps the number of its process.
    const child = spawn("ip", ["netns", "exec", namespaceOf(machine), ...command], {
      detached: true,
      stdio: ["ignore", log, log],
      env: { PATH, TMPDIR: folderOf(machine), ...env },
      ...(cwd === undefined ? {} : { cwd })
    })
    child.unref()
    closeSync(log)
    writeFileSync(pidFileOf(machine), `${child.pid}`)
  })

/** Runs a program on a machine to its end, and returns its output. */
export const runOn = (machine: Machine, { command, cwd, env }: Command) =>
  Effect.callback<string>((resume) => {
    const child = spawn("ip", ["netns", "exec", namespaceOf(machine), ...command], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH, TMPDIR: folderOf(machine), ...env },
      ...(cwd === undefined ? {} : { cwd })
    })
    let output = ""
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()))
    child.on("close", (code) =>
      resume(
        code === 0
          ? Effect.succeed(output)
          : Effect.die(new Error(`${command.join(" ")} ended with ${code}\n${output}`))
      )
    )
  })

const without = (machine: Machine, program?: string) =>
  eventually(
    `${machine} has ended`,
    Effect.sync(() => processesOf(machine, program).length === 0)
  )

/** Ends every process of a machine at once, as a loss of power does; those of one program, when it is named. */
export const kill = (machine: Machine, program?: string) =>
  Effect.andThen(
    Effect.sync(() => signal(processesOf(machine, program), "SIGKILL")),
    without(machine, program)
  )

/** Waits until the system has closed the connections of a machine: its last thread ends a while after its process. */
export const disconnected = (machine: Machine) =>
  eventually(
    `${machine} has no connection`,
    Effect.sync(
      () => ip("netns", "exec", namespaceOf(machine), "ss", "-Htn", "state", "established").trim() === ""
    )
  )

/** Asks the program of a machine to end, and waits until nothing runs there. */
export const terminate = (machine: Machine) =>
  Effect.andThen(
    Effect.sync(() => signal([Number(readFileSync(pidFileOf(machine), "utf8"))], "SIGTERM")),
    without(machine)
  )

interface Destination {
  readonly machine: Machine
  /** One port; without it, all of the machine. */
  readonly port?: number
}

/** Drops everything between a machine and others, in both directions and unsaid. */
export const cutOff = (machine: Machine, others: ReadonlyArray<Destination>) =>
  Effect.sync(() => {
    const nft = (command: string) => sh("ip", "netns", "exec", namespaceOf(machine), "nft", command)
    nft("add table ip partition")
    nft("add chain ip partition in { type filter hook input priority 0 ; }")
    nft("add chain ip partition out { type filter hook output priority 0 ; }")
    for (const { machine: other, port } of others) {
      const [from, to] = port === undefined ? ["", ""] : [`tcp sport ${port}`, `tcp dport ${port}`]
      nft(`add rule ip partition in ip saddr ${addressOf(other)} ${from} drop`)
      nft(`add rule ip partition out ip daddr ${addressOf(other)} ${to} drop`)
    }
  })

/** Ends `cutOff`. */
export const heal = (machine: Machine) =>
  Effect.sync(() => void sh("ip", "netns", "exec", namespaceOf(machine), "nft", "delete table ip partition"))
