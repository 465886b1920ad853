/** Link at the end of the password's label, inside a positioned element. On the narrowest phones, it is below the field. */
export const forgotLinkClass =
  'absolute -top-4 right-0 inline-flex min-h-11 items-end pb-2 text-sm text-accent underline underline-offset-2 max-[22.5rem]:static max-[22.5rem]:-mb-3 max-[22.5rem]:items-center max-[22.5rem]:pb-0'
