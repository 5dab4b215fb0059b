/** The kind of work, as the bell, metrics and logs name it. */
export const NOTIFICATION_MAILS = "notification_mails"
