import { Effect, Option } from "effect"
import type { Environment } from "../config/environment.ts"
import { connectRedis } from "../rate-limits/redisConnection.ts"
import { about, within } from "./Finding.ts"

const { ok } = about("redis")

/** Checks that Redis answers. Without one, each process counts its rate limits alone. */
export const limitsCheck = ({ REDIS_URL }: Environment) =>
  Option.match(REDIS_URL, {
    onNone: () =>
      Effect.succeed([ok("Each process counts rate limits by itself, which suits a single process.")]),
    onSome: (url) =>
      within(
        "redis",
        Effect.scoped(Effect.as(connectRedis(url), [ok("Redis answers.")])),
        "Start Redis or Valkey, and check the host, port, user and password in REDIS_URL."
      )
  })
