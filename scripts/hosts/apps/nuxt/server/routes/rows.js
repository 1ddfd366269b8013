export default defineEventHandler(() => $fetch(process.env.BACKEND_URL));
