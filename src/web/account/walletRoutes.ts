import { Effect, Layer, Option, Schema } from "effect"
import { WalletChallengeRequest, WalletClaim } from "../../../schemas/accounts/sessions/Session.ts"
import type { NanoAddress } from "../../../schemas/platform/Nano.ts"
import { type BrowserAuthority, CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { WalletLinks } from "../../accounts/sessions/WalletLinks.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { donePath, makeAccountPages } from "./accountPages.ts"
import { signaturePage } from "./walletSection.ts"

const decodeChallenge = Schema.decodeUnknownOption(WalletChallengeRequest)
const decodeClaim = Schema.decodeUnknownOption(WalletClaim)

const OTHER = "Your account already has a different wallet, and you can't change it."
const TAKEN = "This wallet belongs to another account. Sign in with the wallet to use that account."

/** Serves the form that links a wallet: first its address, then its signature. */
export const AccountWalletRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const wallets = yield* WalletLinks
    const count = yield* limiting
    const shown = yield* makeAccountPages
    const { asOwner } = yield* makeBrowser
    const { answering, page, readForm, seeOther } = yield* makePrivatePages

    /** Shows a text to sign; another one after a signature that was refused. */
    const challenged = (owner: BrowserAuthority, account: NanoAddress, refused: string | null) =>
      Effect.map(wallets.challenge(owner, account), (challenge) =>
        page(signaturePage({ challenge, refused }), refused === null ? 200 : 422)
      )

    const link = Effect.gen(function* () {
      const form = yield* readForm({
        account: LENGTHS.line,
        signature: LENGTHS.line,
        challengeId: LENGTHS.line
      })
      const account = (form.get("account") ?? "").trim()
      const signature = form.get("signature")?.trim()
      return yield* asOwner(
        ACCOUNT,
        Effect.fnUntraced(function* (owner) {
          yield* Effect.provideService(count("account-code"), CurrentOwner, owner)
          const refused = (sentence: string, status: number) =>
            shown(owner, { refused: { control: "account", sentence, typed: account } }, status)
          const notAnAddress = () =>
            refused("Enter your wallet's full address: nano_ and 60 more characters.", 422)
          const asked = decodeChallenge({ account })
          if (Option.isNone(asked)) return yield* notAnAddress()
          const claim = decodeClaim({ account, challengeId: form.get("challengeId"), signature })
          const linked =
            signature === undefined
              ? challenged(owner, asked.value.account, null)
              : Option.isNone(claim)
                ? challenged(owner, asked.value.account, signature)
                : wallets.link(owner, claim.value).pipe(
                    Effect.as(seeOther(donePath("wallet"))),
                    Effect.catchTag("InvalidChallenge", () =>
                      challenged(owner, asked.value.account, signature)
                    )
                  )
          return yield* linked.pipe(
            Effect.catchTags({
              Validation: notAnAddress,
              WalletTaken: () => refused(TAKEN, 409),
              WalletAlreadyLinked: () => shown(owner, { told: OTHER }, 409)
            })
          )
        })
      )
    })

    return addPrivatePage("POST", "/desk/account/wallet", answering(link))
  })
)
