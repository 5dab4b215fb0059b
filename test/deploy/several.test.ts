import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { parse } from "yaml"
import { variables } from "../../layers/config/environment.ts"
import { read, SECRET } from "../layers/config/problems.ts"
import { composeOf, schemaErrors, type Service, takenBy } from "./composeFile.ts"

const HOME = "layers/deploy/several"
const readHere = (name: string) => readFileSync(join(HOME, name), "utf8")

const source = readHere("compose.yaml")
const { services, volumes } = composeOf(source)

/** A service with what it takes from the one-machine file. */
const whole = ({ extends: base, ...own }: Service): Service =>
  base === undefined
    ? own
    : {
        ...composeOf(readFileSync(join(HOME, base.file), "utf8")).services[base.service],
        ...own,
        networks: own.networks
      }

const haproxy = readHere("haproxy.cfg")
const pgbouncer = readHere("pgbouncer.ini")
const patroni = parse(readHere("patroni.yml"))
const settingOf = (name: string) => Number(new RegExp(`^${name} = (\\d+)$`, "m").exec(pgbouncer)?.[1])

describe("the topology of several machines", () => {
  it("The compose file is valid by the schema of Compose", () => {
    assert.deepStrictEqual(schemaErrors(source), [])
  })

  it("Every part of the topology is there, with an exact version and a health check", () => {
    assert.sameMembers(
      Object.keys(services),
      "haproxy pennypress-1 pennypress-2 pgbouncer postgres-1 postgres-2 etcd valkey garage clamd".split(" ")
    )
    for (const [name, service] of Object.entries(services)) {
      const { build, healthcheck, image } = whole(service)
      const inline =
        typeof build === "object" ? /^FROM (\S+)$/m.exec(build.dockerfile_inline)?.[1] : undefined
      if (name.startsWith("pennypress")) assert.strictEqual(join(HOME, String(build)), ".", name)
      else {
        assert.match(image ?? inline ?? "", /:v?\d+\.\d+[\w.-]*$/, name)
        assert.isDefined(healthcheck, name)
      }
    }
  })

  it("Mounted files exist, and volumes are declared once", () => {
    const sources = Object.values(services).flatMap((service) => {
      const folder = service.extends === undefined ? HOME : "."
      return (whole(service).volumes ?? []).map((mount) => ({ folder, place: mount.split(":")[0] ?? "" }))
    })
    const [files, named] = [true, false].map((isFile) =>
      sources.filter(({ place }) => place.startsWith("./") === isFile)
    )
    assert.deepStrictEqual(
      files?.filter(({ folder, place }) => !existsSync(join(folder, place))),
      []
    )
    assert.sameMembers([...new Set(named?.map(({ place }) => place))], Object.keys(volumes))
  })

  it("Only the load balancer has a port, and only to this machine", () => {
    assert.deepStrictEqual(
      Object.entries(services).flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`)),
      ["haproxy 127.0.0.1:4020:4020"]
    )
  })

  it.effect(
    "The services have settings that exist and that they accept, and env.example offers each secret",
    () =>
      Effect.gen(function* () {
        const offered = readFileSync("layers/deploy/env.example", "utf8")
        for (const { name, rest } of takenBy(source)) {
          assert.strictEqual(rest, ":?is missing in .env", name)
          assert.match(offered, new RegExp(`^${name}=`, "m"))
        }
        const filled = Object.entries(services["pennypress-1"]?.environment ?? {}).map(([name, value]) => {
          assert.property(variables, name)
          const text = value.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, taken: string) =>
            taken === "PUBLIC_BASE_URL" ? "https://press.example" : SECRET
          )
          return [name, text]
        })
        const settings = yield* read(Object.fromEntries(filled))
        const database = Option.getOrThrow(settings.DATABASE_URL)
        assert.strictEqual(new URL(Redacted.value(database)).host, "pgbouncer:6432")
        const direct = Option.getOrThrow(settings.DATABASE_DIRECT_URL)
        assert.strictEqual(new URL(Redacted.value(direct)).host, "haproxy:5432")
        assert.isTrue(Option.isSome(settings.REDIS_URL) && Option.isSome(settings.S3_URL))
      })
  )

  it("Each file names servers and ports that the topology has", () => {
    const servers = [...haproxy.matchAll(/^\s+server (\S+) (\S+):(\d+)$/gm)].map(([, name, host, port]) => {
      assert.strictEqual(name, host)
      return `${host}:${port}`
    })
    const both = ["pennypress-1:4020", "pennypress-2:4020"]
    assert.deepStrictEqual(servers, [...both, ...both, "postgres-1:5432", "postgres-2:5432"])
    for (const server of servers) assert.property(services, server.split(":")[0] ?? "")
    assert.match(pgbouncer, /^pennypress = host=haproxy port=5432 dbname=pennypress /m)
    assert.strictEqual(patroni.postgresql.listen, "0.0.0.0:5432")
    assert.strictEqual(patroni.restapi.listen, "0.0.0.0:8008")
    assert.match(haproxy, /default-server check port 8008 .*on-marked-down shutdown-sessions/)
  })

  it("A failover loses no commit, and PostgreSQL takes all connections of PgBouncer", () => {
    const { dcs } = patroni.bootstrap
    assert.isTrue(dcs.synchronous_mode)
    assert.strictEqual(dcs.postgresql.parameters.synchronous_commit, "on")
    assert.isAtLeast(dcs.ttl, dcs.loop_wait + 2 * dcs.retry_timeout)
    const pooled = settingOf("default_pool_size") + settingOf("reserve_pool_size")
    assert.isAtLeast(dcs.postgresql.parameters.max_connections, 2 * pooled)
    assert.match(pgbouncer, /^pool_mode = transaction$/m)
    // A request must have its answer within five seconds.
    assert.isBelow(settingOf("query_wait_timeout"), 5)
  })
})
