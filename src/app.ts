import { Effect, Layer } from "effect"
import { HttpRouter, UrlParams } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { RpcSerialization } from "effect/rpc"
import { Api } from "../schemas/Api.ts"
import { AccountEmail } from "./accounts/account-email/AccountEmail.ts"
import * as RpcRoutes from "./accounts/administration/routes.ts"
import { EmailCodes } from "./accounts/email-codes/EmailCodes.ts"
import * as Accounts from "./accounts/layer.ts"
import { Registrations } from "./accounts/registrations/Registrations.ts"
import * as HttpSecurity from "./accounts/security/http.ts"
import * as RpcSecurity from "./accounts/security/rpc.ts"
import { Sessions } from "./accounts/sessions/Sessions.ts"
import { WalletLogin } from "./accounts/sessions/WalletLogin.ts"
import { routerConfig } from "./platform/http/exactPaths.ts"
import * as Families from "./platform/http/families.ts"
import * as Http from "./platform/http/layer.ts"
import * as ProcedureFailures from "./platform/http/procedures.ts"
import * as RequestEnvelope from "./platform/http/RequestEnvelope.ts"
import { Idempotency } from "./platform/idempotency/Idempotency.ts"
import * as Platform from "./platform/layer.ts"
import { Mails } from "./platform/mail/Mails.ts"
import { MailWorker } from "./platform/mail/MailWorker.ts"
import * as RateLimiting from "./platform/rate-limits/http.ts"
import * as ProcedureRateLimits from "./platform/rate-limits/procedures.ts"
import { housekeeping } from "./platform/work/housekeeping.ts"
import * as Publishing from "./publishing/layer.ts"
import { Uploads } from "./publishing/uploads/Uploads.ts"

/** The domain, over whatever database and ports it is given. */
export const domain = Publishing.layer.pipe(
  Layer.provideMerge(Accounts.layer),
  Layer.provideMerge(Platform.layer)
)

const handlers = Layer.mergeAll(Accounts.handlers, Publishing.handlers).pipe(
  Layer.provide([HttpSecurity.layer, Families.layer, RateLimiting.layer])
)

const procedures = Layer.mergeAll(
  Accounts.procedures,
  Publishing.procedures,
  RpcSecurity.layer,
  ProcedureFailures.layer,
  ProcedureRateLimits.layer,
  RpcSerialization.layerNdjson
)

/** Every route of the service. Tests and the server mount this same layer. */
export const routes = Layer.mergeAll(
  HttpApiBuilder.layer(Api).pipe(Layer.provide(handlers)),
  Accounts.routes,
  Publishing.routes,
  RpcRoutes.layer.pipe(Layer.provide(procedures)),
  Http.routes,
  RequestEnvelope.layer
)

/** Removes what expires. */
export const HousekeepingWorker = housekeeping(
  Effect.all([AccountEmail, Sessions, WalletLogin, Idempotency, EmailCodes, Registrations, Mails, Uploads])
)

/** Supervised fibers beside the requests. */
export const background = Layer.mergeAll(HousekeepingWorker, MailWorker, Publishing.workers)

export { routerConfig }

/** Query parameters that no trace may show: confirmation links carry a token, and callers mistake places. */
const secretParameters = [/token|code|key|secret|email/i]

/** The service over an `HttpServer`. */
export const http = HttpRouter.serve(routes, {
  routerConfig,
  disableLogger: true,
  disableListenLog: true
}).pipe(Layer.provide(Layer.succeed(UrlParams.CurrentRedactedNames, secretParameters)))
