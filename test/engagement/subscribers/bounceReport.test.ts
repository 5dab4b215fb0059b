import { assert, describe, it } from "@effect/vitest"
import { readReport, REPORT_BYTES_MAX } from "../../../src/engagement/subscribers/bounces/bounceReport.ts"
import { recorded, SERVERS } from "./recordedReports.ts"

const TOKEN = "0193f1a000007000800000000000000100112233445566ff"

const status = (lines: string) => `Content-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\n${lines}`

const reportOf = (part: string, to = `To: bounces+${TOKEN}@mail.example`) =>
  `${to}\nContent-Type: multipart/report; boundary=b\n\n--b\n${part}\n--b--\n`

const failed = status("Action: failed\nStatus: 5.1.1")

describe("a report of a mail server", () => {
  it("A recorded report of each server says what happened, and to whose mail", () => {
    for (const [server, kind] of SERVERS) {
      const report = recorded(server, TOKEN)
      assert.deepStrictEqual(readReport(report), { kind, token: TOKEN }, server)
      assert.deepStrictEqual(readReport(report.replaceAll("\n", "\r\n")), { kind, token: TOKEN }, server)
      const upper = report.replaceAll(TOKEN, TOKEN.toUpperCase())
      assert.deepStrictEqual(readReport(upper), { kind, token: TOKEN }, server)
    }
  })

  it("A report that is no failure and no complaint says neither", () => {
    const parts = [
      status("Action: failed\nStatus: 4.4.7"),
      status("Action: delayed\nStatus: 4.2.2"),
      status("Action: delivered\nStatus: 2.0.0"),
      status("Action: relayed\nStatus: 5.1.1"),
      status("Action: failed\nStatus: 50.1.1"),
      status("Action: failed"),
      "Content-Type: text/plain\n\nAction: failed\nStatus: 5.1.1",
      "Content-Type: message/feedback-report\n\nFeedback-Type: not-spam",
      "Content-Type: message/feedback-report\n\nFeedback-Type: auth-failure",
      "Content-Type: message/feedback-report\n\nVersion: 1",
      // The mail that comes back is its sender's own.
      `Content-Type: message/rfc822\n\n${reportOf(failed).replaceAll("--b", "--c").replace("=b", "=c")}`
    ]
    for (const part of parts) assert.deepStrictEqual(readReport(reportOf(part)), { token: TOKEN }, part)
  })

  it("A failure of one recipient among several is a failure", () => {
    const part = status("Action: delivered\nStatus: 2.1.5\n\nStatus: 5.2.2 (full)\nAction: failed (for good)")
    assert.deepStrictEqual(readReport(reportOf(part)), { kind: "failure", token: TOKEN })
  })

  it("A recipient from outside comes before those of the report", () => {
    const other = TOKEN.replace("ff", "00")
    const to = `Delivered-To: bounces+${other}@mail.example\nTo: bounces+${TOKEN}@mail.example`
    assert.strictEqual(readReport(reportOf(failed, to)).token, other)
    assert.strictEqual(readReport(reportOf(failed, to), `bounces+${TOKEN}@mail.example`).token, TOKEN)
    assert.strictEqual(readReport(reportOf(failed, to), "bounces@mail.example").token, other)
  })

  it("A report names no one without a whole token among its recipients", () => {
    const recipients = [
      "To: bounces@mail.example",
      `To: bounces+${TOKEN.slice(1)}@mail.example`,
      `To: bounces+${TOKEN}0@mail.example`,
      `To: bounces+${"g".repeat(48)}@mail.example`,
      `Subject: bounces+${TOKEN}@mail.example`,
      `X-Note: To: bounces+${TOKEN}@mail.example`
    ]
    for (const to of recipients)
      assert.deepStrictEqual(readReport(reportOf(failed, to)), { kind: "failure" }, to)
  })

  it("A hostile report takes little time and says nothing", () => {
    const nested = Array.from({ length: 5_000 }).reduceRight<string>(
      (inner, _, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\n\n--b${depth}\n${inner}`,
      failed
    )
    const reports = [
      "",
      "\n",
      "\n\n\n",
      "--b",
      ":".repeat(REPORT_BYTES_MAX),
      `To: ${"+".repeat(REPORT_BYTES_MAX)}`,
      `To: ${`+${"a".repeat(47)}`.repeat(6_000)}`,
      "\n ".repeat(REPORT_BYTES_MAX / 2),
      `A: b\n${" \t\n".repeat(REPORT_BYTES_MAX / 3)}`,
      `Content-Type: multipart/report;${" ".repeat(60_000)}boundary\n\n`,
      `Content-Type: multipart/report; boundary=b\n\n${"--b\n".repeat(60_000)}${failed}`,
      `Content-Type: multipart/report; boundary=b\n\n${"--bb\n".repeat(50_000)}`,
      `Content-Type: message/delivery-status\n\n${"\n \n".repeat(80_000)}`,
      `X: ${"x".repeat(70_000)}\nContent-Type: message/delivery-status\n\nStatus: 5.1.1`,
      `A: b\n\n${"x".repeat(REPORT_BYTES_MAX)}${reportOf(failed)}`,
      "\u0000\u00ff".repeat(REPORT_BYTES_MAX),
      nested
    ]
    const start = performance.now()
    for (const report of reports) assert.deepStrictEqual(readReport(report), {}, report.slice(0, 40))
    assert.isBelow(performance.now() - start, 2_000)
  })
})
