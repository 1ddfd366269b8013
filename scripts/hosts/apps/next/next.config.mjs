/** @type {import('next').NextConfig} */
export default process.env.STANDALONE ? { output: 'standalone', distDir: '.next-standalone' } : {};
