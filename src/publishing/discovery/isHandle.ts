/** True for the form of chosen and generated handles. */
export const isHandle = (text: string) => /^[A-Za-z0-9_]{1,30}$/.test(text)
