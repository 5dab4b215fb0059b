import { Effect, Layer } from "effect"
import { PayoutAddressRequest } from "../../../schemas/accounts/payout-address/PayoutAddress.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { PayoutAddresses } from "../../accounts/payout-address/PayoutAddresses.ts"
import { checked } from "../../platform/http/checked.ts"
import { unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { html } from "../../platform/pages/html.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { ACCOUNT, backPath } from "../browser/paths.ts"
import { payoutPage, payoutPath } from "./payoutPage.ts"

const check = checked(PayoutAddressRequest)

interface Written {
  readonly back: string
  readonly address: string
  readonly revision: string
}

/** Serves the page on which authors save the address that receives their income. */
export const PayoutRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const payouts = yield* PayoutAddresses
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const back = backPath((yield* query).get("back"))
      return yield* browser.asOwner(payoutPath(back), (owner) =>
        Effect.map(payouts.read(owner), ({ payoutAddress, revision }) =>
          page(payoutPage({ back, address: payoutAddress ?? "", revision: String(revision) }))
        )
      )
    })

    /** Shows the address that counts, and keeps the other one in the field. The next press replaces it knowingly. */
    const conflict = (owner: OwnerAuthority, written: Written) =>
      Effect.map(payouts.read(owner), ({ payoutAddress, revision }) => {
        const told = html`Your payout address was changed elsewhere. It's now <code>${payoutAddress}</code>.
          Save again to replace it.`
        return page(payoutPage({ ...written, revision: String(revision), told }), 409)
      })

    const save = (written: Written) => (owner: OwnerAuthority) => {
      const { address, back, revision } = written
      const refused = () =>
        page(
          payoutPage({
            ...written,
            wrong: "Enter a Nano address that can receive money. Copy it from your wallet again."
          }),
          422
        )
      return check({ payoutAddress: address, revision: Number(revision) }).pipe(
        Effect.flatMap((request) => payouts.save(owner, request)),
        Effect.as(seeOther(back === ACCOUNT ? `${back}?done=payout` : back)),
        Effect.catchTags({
          Validation: () => Effect.succeed(refused()),
          RevisionConflict: () => conflict(owner, written)
        })
      )
    }

    const choose = Effect.gen(function* () {
      const form = yield* readForm({ back: LENGTHS.url, revision: LENGTHS.word, address: LENGTHS.line })
      const back = backPath(form.get("back"))
      const revision = form.get("revision") ?? ""
      if (!/^\d{1,10}$/.test(revision)) return yield* unreadable(form)
      const written = { back, address: (form.get("address") ?? "").trim(), revision }
      return yield* browser.asOwner(payoutPath(back), save(written))
    })

    return Layer.merge(
      addPrivatePage("GET", "/payout", answering(show)),
      addPrivatePage("POST", "/payout", answering(choose))
    )
  })
)
