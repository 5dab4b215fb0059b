import { globSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { files, importsOf, isOurs } from "./support/modules.ts"

/** Folders that a folder's files import, without its own. */
const foldersOf = () => {
  const graph = new Map<string, Set<string>>()
  for (const file of files) {
    const imported = importsOf(file).filter(isOurs).map(dirname)
    const known = graph.get(dirname(file)) ?? new Set()
    for (const folder of imported) if (folder !== dirname(file)) known.add(folder)
    graph.set(dirname(file), known)
  }
  return graph
}

/** One circle of a graph, as the names on its way; undefined when there is none. */
const circleOf = (graph: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyArray<string> | undefined => {
  const done = new Set<string>()
  const visit = (name: string, way: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name]
    if (done.has(name)) return undefined
    for (const next of graph.get(name) ?? []) {
      const circle = visit(next, [...way, name])
      if (circle !== undefined) return circle
    }
    done.add(name)
    return undefined
  }
  for (const name of graph.keys()) {
    const circle = visit(name, [])
    if (circle !== undefined) return circle
  }
  return undefined
}

/** Folders of tests of one part of the service. The others test all of it. */
const MIRRORS = /^test\/(accounts|publishing|engagement|payments|web|mcp|platform|client|bin|layers)\b/

describe("the folders of the house", () => {
  it("Folders never import each other in a circle", () => {
    assert.isUndefined(circleOf(foldersOf()))
  })

  it("The check finds a circle", () => {
    const graph = new Map([
      ["a", new Set(["b"])],
      ["b", new Set(["c"])],
      ["c", new Set(["b"])]
    ])
    assert.deepStrictEqual(circleOf(graph), ["b", "c", "b"])
  })

  it("A folder of the service has more than one file", () => {
    const holdings = Map.groupBy(globSync("src/**/*"), dirname)
    const single = [...holdings].filter(([, held]) => held.length === 1).map(([folder]) => folder)
    assert.deepStrictEqual(single, [])
  })

  it("Tests stand in the folders of what they test", () => {
    const rooms = new Set([...files, ...globSync("src/**/*.js")].map(dirname))
    const without = [...new Set(globSync("test/**/*.ts").map(dirname))].filter((folder) => {
      const room = folder.slice("test/".length)
      return MIRRORS.test(folder) && ![room, `src/${room}`, `schemas/${room}`].some((it) => rooms.has(it))
    })
    assert.deepStrictEqual(without, [])
  })
})
