-- CreateTable
CREATE TABLE "inbox_marks" (
    "user_id" UUID NOT NULL,
    "read_up_to" UUID NOT NULL,

    CONSTRAINT "inbox_marks_pkey" PRIMARY KEY ("user_id")
);

-- CreateTable
CREATE TABLE "message_templates" (
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_templates_pkey" PRIMARY KEY ("user_id","name")
);

-- AddForeignKey
ALTER TABLE "inbox_marks" ADD CONSTRAINT "inbox_marks_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "message_templates" ADD CONSTRAINT "message_templates_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
