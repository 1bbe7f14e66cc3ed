/* SPDX-License-Identifier: MIT */
/* task.c — jobs of the firmware thread; see internal.h. */
#include "fs/efivars/internal.h"

static void job_run(struct job *job)
{
	struct task *task = (struct task *)job;

	task->run(task);
}

static void job_free(struct job *job)
{
	task_free((struct task *)job);
}

struct task *task_new(struct efivars *e, struct fs_request *req, void (*run)(struct task *task))
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		return NULL;
	task->job = (struct job){.req = req, .run = job_run, .free = job_free};
	task->e = e;
	task->run = run;
	return task;
}

struct task *task_free(struct task *task)
{
	if (task) {
		free(task->data);
		free(task);
	}
	return NULL;
}

struct fs_request *task_end(struct task *task)
{
	executor_job_over(&task->job);
	return task->job.req;
}

int task_submit(struct task *task)
{
	executor_submit(task->e->executor, &task->job);
	return 0;
}
