import { type Counting, phrase } from "./counting.ts"
import type { Words } from "./en.ts"

/** The words around a text in Arabic. */
export const ar = (counted: Counting<"zero" | "one" | "two" | "few" | "many" | "other">): Words => ({
  agent: "وكيل ذكاء اصطناعي",
  updated: (day) => phrase`حُدِّث في ${day}`,
  contents: "المحتويات",
  creation: {
    human_written: "كتبه إنسان، بحسب الكاتب.",
    ai_assisted_editing: "كتبه إنسان وحُرِّر بمساعدة الذكاء الاصطناعي، بحسب الكاتب.",
    ai_assisted_research: "كتبه إنسان بعد بحث أجراه الذكاء الاصطناعي، بحسب الكاتب.",
    ai_assisted_drafting: "كُتبت مسوّدته بمساعدة الذكاء الاصطناعي، بحسب الكاتب.",
    primarily_ai_generated: "معظمه من إنتاج الذكاء الاصطناعي، بحسب الكاتب.",
    autonomous_agent: "كتبه وكيل ذكاء اصطناعي من تلقاء نفسه، بحسب مالكه."
  },
  postsBy: (name) => `مقالات ${name}`,

  keepReading: (price) => phrase`تابع القراءة مقابل ${price}`,
  moreWords: counted({
    zero: "لا كلمات أخرى",
    one: "كلمة واحدة أخرى",
    two: "كلمتان أخريان",
    few: "# كلمات أخرى",
    many: "# كلمة أخرى",
    other: "# كلمة أخرى"
  }),
  fewerWords: (count) => `أقل من ${count} كلمة أخرى`,
  moreMinutes: counted({
    zero: "أقل من دقيقة أخرى",
    one: "دقيقة واحدة أخرى",
    two: "دقيقتان أخريان",
    few: "# دقائق أخرى",
    many: "# دقيقة أخرى",
    other: "# دقيقة أخرى"
  }),
  underMinute: "أقل من دقيقة أخرى",
  minutes: counted({
    zero: "أقل من دقيقة",
    one: "دقيقة واحدة",
    two: "دقيقتان",
    few: "# دقائق",
    many: "# دقيقة",
    other: "# دقيقة"
  }),
  pictures: counted({
    zero: "لا صور",
    one: "صورة واحدة",
    two: "صورتان",
    few: "# صور",
    many: "# صورة",
    other: "# صورة"
  }),
  sections: counted({
    zero: "لا أقسام",
    one: "قسم واحد",
    two: "قسمان",
    few: "# أقسام",
    many: "# قسمًا",
    other: "# قسم"
  }),
  files: counted({
    zero: "لا ملفات للتنزيل",
    one: "ملف واحد للتنزيل",
    two: "ملفان للتنزيل",
    few: "# ملفات للتنزيل",
    many: "# ملفًا للتنزيل",
    other: "# ملف للتنزيل"
  }),
  comma: "، ",
  stop: ".",
  buyers: counted({
    zero: "لم يشترِ أحد هذا المقال بعد.",
    one: "اشترى شخص واحد هذا المقال.",
    two: "اشترى شخصان هذا المقال.",
    few: "اشترى # أشخاص هذا المقال.",
    many: "اشترى # شخصًا هذا المقال.",
    other: "اشترى # شخص هذا المقال."
  }),
  worth: (price, worth) => phrase`${price} تساوي نحو ${worth}.`,
  worthLess: (price, worth) => phrase`${price} تساوي أقل من ${worth}.`,
  rateOf: (moment) => phrase` (سعر الصرف: ${moment})`,
  payOnce: (name) => phrase`ادفع مرة واحدة من أي محفظة Nano. بلا حساب وبلا رسوم: المبلغ كله يذهب إلى ${name}.`,
  unlock: (price) => phrase`افتح هذا المقال · ${price}`,
  alreadyBought: "هل اشتريته من قبل؟",
  readHere: "اقرأه هنا",
  howToBuy: "كيف يتم الشراء",

  allPosts: "جميع المقالات",
  follow: (name) => phrase`متابعة ${name}`,
  following: "تمت المتابعة",
  emailMe: "أرسل لي المقالات الجديدة بالبريد",
  tip: "إكرامية",
  tipOf: (price) => phrase`إكرامية ${price}`,
  otherTip: "مبلغ آخر",
  otherTipFor: (name) => `إكرامية إلى ${name}`,
  react: "تفاعل",
  reactions: "التفاعلات",
  reaction: { thumbs_up: "إعجاب", heart: "قلب", fire: "نار", clap: "تصفيق" },
  copyLink: "نسخ الرابط",
  share: "مشاركة",
  copied: "تم النسخ",
  notCopied: "تعذّر النسخ",
  report: "إبلاغ",
  saved: "تم الحفظ",
  notSaved: "لم يُحفظ: أنت غير متصل بالإنترنت. حاول مرة أخرى.",

  comments: "التعليقات",
  commentCount: counted({
    zero: "لا تعليقات",
    one: "تعليق واحد",
    two: "تعليقان",
    few: "# تعليقات",
    many: "# تعليقًا",
    other: "# تعليق"
  }),
  yourComment: "تعليقك",
  commentHint: "يمكن للجميع قراءته. 2000 حرف على الأكثر.",
  comment: "نشر التعليق",
  skipComments: "تخطّي التعليقات",
  allComments: "جميع التعليقات",
  deleted: "حُذف هذا التعليق.",
  author: "الكاتب",
  buyer: "اشترى المقال",
  tipped: (price) => phrase`إكرامية: ${price}`,
  respond: "رد",
  respondTo: (name) => `على ${name}`,
  tipTo: (name) => `إلى ${name}`,
  reportBy: (name) => `عن تعليق ${name}`,
  moreReplies: counted({
    zero: "لا ردود أخرى",
    one: "رد واحد آخر",
    two: "ردّان آخران",
    few: "# ردود أخرى",
    many: "# ردًا آخر",
    other: "# رد آخر"
  }),

  commentsOn: (title) => `التعليقات على ${title}`,
  onPost: (link) => phrase`على ${link}`,
  backToPost: "العودة إلى المقال",
  threads: "النقاشات",
  noComments: "لا تعليقات بعد.",
  pages: "الصفحات",
  nextPage: "الصفحة التالية",
  firstPage: "الصفحة الأولى",

  readNext: "اقرأ أيضًا",

  note: (number) => `الحاشية ${number}`,
  backFromNote: (number) => `العودة إلى النص من الحاشية ${number}`,
  backFromPlace: (number, place) => `العودة إلى النص من الحاشية ${number}، الموضع ${place}`,
  notes: (first, last) => `الحواشي من ${first} إلى ${last}`,
  table: "جدول"
})
