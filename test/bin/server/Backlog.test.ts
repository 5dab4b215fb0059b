import { EventEmitter } from "node:events"
import type { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Backlog } from "../../../src/bin/server/Backlog.ts"

const options = { bytesMax: 100, connectionBytesMax: 30, checksMax: 3 }

/** Creates a connection that a test ends, with answers that wait on it. */
const connection = () => {
  const socket = Object.assign(new EventEmitter(), {
    destroyed: false,
    destroy: () => {
      socket.destroyed = true
      socket.emit("close")
    }
  })
  const answer = (bytes: number, body?: ArrayBuffer) => {
    const waiting = { socket: socket as unknown as Socket, left: bytes, bytes: () => waiting.left, body }
    return waiting
  }
  return { socket, answer }
}

describe("answers that wait for slow clients", () => {
  it("Too many waiting bytes cost the connection that has taken nothing for the longest time", () => {
    const backlog = new Backlog(options)
    const [first, second, third] = [connection(), connection(), connection()]
    const answer = first.answer(40)
    backlog.update(answer)
    backlog.update(second.answer(40))
    answer.left = 35
    backlog.update(answer)
    backlog.update(third.answer(40))
    assert.deepStrictEqual(
      [first, second, third].map(({ socket }) => socket.destroyed),
      [false, true, false]
    )
    assert.strictEqual(backlog.takeCuts(), 1)
    assert.strictEqual(backlog.takeCuts(), 0)
  })

  it("One answer may be larger than the bound", () => {
    const backlog = new Backlog(options)
    const { answer, socket } = connection()
    backlog.update(answer(1_000))
    assert.isFalse(socket.destroyed)
  })

  it("Answers are bounded on one connection", () => {
    const backlog = new Backlog(options)
    const { answer, socket } = connection()
    backlog.update(answer(20))
    assert.isFalse(socket.destroyed)
    backlog.update(answer(11))
    assert.isTrue(socket.destroyed)
    // Requests behind them may still be answered; nothing more waits.
    backlog.update(answer(1_000))
    const other = connection()
    backlog.update(other.answer(90))
    assert.isFalse(other.socket.destroyed)
  })

  it("An answer is cut only after the checks without progress", () => {
    const backlog = new Backlog(options)
    const [stalled, slow] = [connection(), connection()]
    const taken = slow.answer(30)
    backlog.update(stalled.answer(30))
    backlog.update(taken)
    for (let check = 0; check < 5; check++) {
      assert.strictEqual(stalled.socket.destroyed, check >= 3)
      taken.left--
      backlog.check()
    }
    assert.isFalse(slow.socket.destroyed)
  })

  it("An answer is forgotten when it is sent, or its connection ends", () => {
    const backlog = new Backlog(options)
    const [sent, ended, last] = [connection(), connection(), connection()]
    const answer = sent.answer(90)
    backlog.update(answer)
    backlog.remove(answer)
    backlog.update(ended.answer(90))
    ended.socket.destroy()
    backlog.update(last.answer(90))
    assert.isFalse(last.socket.destroyed)
    assert.strictEqual(backlog.takeCuts(), 0)
  })

  it("A shared body counts once, until the last of its answers has gone", () => {
    const backlog = new Backlog(options)
    const readers = Array.from({ length: 50 }, connection)
    const body = new ArrayBuffer(90)
    const answers = readers.map(({ answer }) => answer(90, body))
    for (const answer of answers) backlog.update(answer)
    assert.strictEqual(backlog.takeCuts(), 0)
    for (const answer of answers.slice(1)) backlog.remove(answer)
    const other = connection()
    backlog.update(other.answer(20))
    // The last reader of the body has taken nothing for the longest time.
    assert.isTrue(readers[0]?.socket.destroyed)
    assert.isFalse(other.socket.destroyed)
    backlog.update(connection().answer(80))
    assert.strictEqual(backlog.takeCuts(), 1)
  })
})
