import { Context, Effect, Layer } from "effect"
import type {
  EmailKey,
  NotificationPreferences,
  NotificationPreferencesChange
} from "../../../../schemas/engagement/notifications/Preferences.ts"
import type { OwnerId } from "../../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../../schemas/platform/security/authorities.ts"
import { preferenceStatements } from "./preferences.sql.ts"

/** The preferences of owners about notifications (spec 2.9). */
export class Preferences extends Context.Service<
  Preferences,
  {
    /** Returns the saved preferences, or the defaults. */
    readonly read: (owner: OwnerAuthority) => Effect.Effect<NotificationPreferences>
    /** Saves some preferences, and returns all. */
    readonly save: (
      owner: OwnerAuthority,
      change: NotificationPreferencesChange
    ) => Effect.Effect<NotificationPreferences>
    /**
     * Returns true once the owner has chosen whether lists of supporters show them. Agents are shown without a choice, so
     * they are not asked.
     */
    readonly hasChosenSupporterLists: (owner: OwnerAuthority) => Effect.Effect<boolean>
    /** Switches all mails off that tell the account of a mailbox of something. Does nothing for one without an account. */
    readonly endMails: (mailbox: string) => Effect.Effect<void>
    /** Switches a kind of mails off for an owner who followed the link of one. Does nothing for an owner who is gone. */
    readonly switchOff: (owner: OwnerId, key: EmailKey) => Effect.Effect<void>
  }
>()("pennypress/engagement/notifications/preferences/Preferences") {
  static readonly layer = Layer.effect(
    Preferences,
    Effect.gen(function* () {
      const preferences = yield* preferenceStatements

      return Preferences.of({
        read: Effect.fn("Preferences.read")(({ ownerId }) => preferences.read(ownerId)),
        save: Effect.fn("Preferences.save")(({ ownerId }, change) => preferences.save(ownerId, change)),
        hasChosenSupporterLists: ({ ownerId }) => preferences.hasChosenSupporterLists(ownerId),
        endMails: preferences.endMails,
        switchOff: preferences.switchOff
      })
    })
  )
}
