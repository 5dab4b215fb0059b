import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { variables } from "../../layers/config/environment.ts"
import { startFlags } from "../support/startScript.ts"
import { pairsOf } from "./dockerfile.ts"

const unit = readFileSync("layers/deploy/pennypress.service", "utf8")
const valuesOf = (name: string) =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value)
const words = valuesOf("ExecStart").flatMap((line) => line.split(" "))

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0

/** Runs systemd-analyze over the unit, with this checkout in the place of the installed service. */
const analyze = (...args: ReadonlyArray<string>) => analyzeAs("pennypress.service", ...args)

/** The same under another name, with the drop-in for several instances if it is a template. */
const analyzeAs = (name: string, ...args: ReadonlyArray<string>) => {
  const folder = mkdtempSync(join(tmpdir(), "pennypress-unit-"))
  try {
    const file = join(folder, name)
    writeFileSync(
      join(folder, name.replace(/@.+\./, "@.")),
      unit.replaceAll("/opt/pennypress", process.cwd())
    )
    if (name.includes("@")) {
      mkdirSync(join(folder, "pennypress@.service.d"))
      copyFileSync("layers/deploy/several/pennypress@.conf", join(folder, "pennypress@.service.d/port.conf"))
    }
    const { status, stderr, stdout } = spawnSync("systemd-analyze", [...args, file], { encoding: "utf8" })
    return {
      status,
      complaints: stderr
        .split("\n")
        .filter((line) => line.includes(`${name}:`) || line.includes("port.conf:")),
      stdout
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe("the systemd unit", () => {
  it.skipIf(!hasSystemd)("The unit is valid", () => {
    assert.deepStrictEqual(analyze("verify", "--man=no", "--recursive-errors=no"), {
      status: 0,
      complaints: [],
      stdout: ""
    })
  })

  it.skipIf(!hasSystemd)("The unit is valid as a template of several instances", () => {
    const { complaints, status } = analyzeAs(
      "pennypress@4021.service",
      "verify",
      "--man=no",
      "--recursive-errors=no"
    )
    assert.deepStrictEqual({ complaints, status }, { complaints: [], status: 0 })
    assert.match(
      readFileSync("layers/deploy/several/pennypress@.conf", "utf8"),
      /^\[Service\]\nEnvironment=PORT=%i$/m
    )
  })

  it.skipIf(!hasSystemd)("The unit has an exposure of at most 2 out of 10", () => {
    const { status, stdout } = analyze("security", "--offline=yes", "--threshold=20", "--no-pager")
    assert.strictEqual(status, 0, stdout)
  })

  it("The unit starts with the options of npm start, and with settings that exist", () => {
    const [node, ...rest] = words
    assert.strictEqual(node, "/opt/pennypress/node_modules/.bin/node")
    assert.deepStrictEqual(rest, [...startFlags, "dist/src/bin/pennypress.js", "serve"])
    assert.deepStrictEqual(Object.assign({}, ...valuesOf("Environment").map(pairsOf)), {
      NODE_ENV: "production",
      PENNYPRESS_DATA: "/var/lib/pennypress"
    })
    assert.property(variables, "PENNYPRESS_DATA")
  })

  it("The unit runs as an account that its file creates, and writes only its data", () => {
    assert.deepStrictEqual(valuesOf("User"), ["pennypress"])
    assert.match(readFileSync("layers/deploy/pennypress.sysusers.conf", "utf8"), /^u pennypress - /m)
    assert.deepStrictEqual(valuesOf("ProtectSystem"), ["strict"])
    assert.deepStrictEqual(valuesOf("StateDirectory"), ["pennypress"])
    assert.deepStrictEqual([valuesOf("ReadWritePaths"), valuesOf("CacheDirectory")], [[], []])
    assert.deepStrictEqual(valuesOf("CapabilityBoundingSet"), [""])
  })

  it("The unit lets V8 write code, and stops the service before its database", () => {
    assert.deepStrictEqual(valuesOf("MemoryDenyWriteExecute"), [])
    assert.deepStrictEqual([valuesOf("KillSignal"), valuesOf("KillMode")], [["SIGTERM"], ["mixed"]])
    // The processes have 25 seconds, and then PostgreSQL has 28.
    assert.isAtLeast(Number(valuesOf("TimeoutStopSec")[0]), 60)
  })
})

describe("the command pennypress", () => {
  it("The command starts with the options of npm start", () => {
    const [line = ""] = readFileSync("src/bin/pennypress.ts", "utf8").split("\n")
    assert.strictEqual(line, `#!/usr/bin/env -S node ${startFlags.join(" ")}`)
  })
})
